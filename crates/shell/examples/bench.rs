use std::time::Instant;
fn t(name:&str, s:&[u8]){ let (sc,steps)=shell::parse_counted(s); let n=sc.commands().len(); let p=sc.problems.len(); let k=sc.problems.first().map(|p|p.kind); drop(sc);
 let mut best=u128::MAX; let mut first=0; for i in 0..20 { let a=Instant::now(); let s=shell::parse(s); let e=a.elapsed().as_nanos(); std::hint::black_box(&s); if i==0 {first=e} best=best.min(e); if e>50_000_000 {break} } 
 println!("{name:24} len {:9} steps/len {:7.2} cmds {n} problems {p} {k:?} first {:.1}µs best {:.1}µs", s.len(), steps as f64/s.len().max(1) as f64, first as f64/1000.0,best as f64/1000.0); }
fn main(){
 t("cold", b"git status");
 t("git status", b"git status --short && git diff --stat | head -20");
 t("gencases8", br#"cd /tmp && A=1 B="$(ls)" rm -rf "$HOME/x" 2>&1 | tee >(cat) ; for i in a b c; do echo "${x:-$(rm y)}" $((1 + 2)); done; [[ $x =~ ^a(b|c)$ ]] && git commit -m "hello world" > /dev/null"#);
 let mut h=b"cat > f <<'EOF'\n".to_vec(); for i in 0..200 { h.extend(format!("line {i} of the body with some $text and `ticks` in it to look real\n").as_bytes()); } h.extend(b"EOF\n"); t("heredoc200q",&h);
 let h2=String::from_utf8(h.clone()).unwrap().replace("'EOF'","EOF").replace('`',"'"); t("heredoc200u", h2.as_bytes());
 let n=100_000;
 for x in ["$(","`","\"","'","((","$((","(","{","{a,","${x:-","<(","[[","[","[[ (","if ","case x in ","cat <<A ","cat <<A\n","$(cat <<A\n","@(","a=(","a[","\\`","$[","${a[","\"$(","{ ","f() ","! ","coproc ","time ","function f ","{1..1024}","*","a ","a;","a|","$(cat <<A;","<<-A\n\t","${","$'","~:","a=~:","\\\n","#\n","[]","${x/","$((\")","$((' ","$((`","x=`\\`"] { let s=x.repeat(n); t(&format!("{x:?}"), s.as_bytes()); }
 t("1MB line", &b"abcdefgh ".repeat(120_000)); t("16MB quoted", &[b"'".to_vec(), vec![b'x';(16<<20)-2], b"'".to_vec()].concat());
 t("16MB bytes", &vec![b'x';16<<20]); t("17MB", &vec![b'x';17<<20]);
 let mut bt=String::from("rm x"); for _ in 0..12 { bt=format!("echo `{}`", bt.replace('\\',"\\\\").replace('`',"\\`")); } t("nested bt", bt.as_bytes());
 t("nested((ok", format!("{}1{}","$((".repeat(60),"))".repeat(60)).as_bytes());
 t("nested((no", format!("{}1{}","$((".repeat(60),") )".repeat(60)).as_bytes());
 t("deep", format!("{}1{}","$(".repeat(63),")".repeat(63)).as_bytes());
}
