# A server of tools whose tool takes its time: it writes down when it is called and given up.
log=$1; mode=$2; hold=$3; call=
note() { echo "$(date +%s) $1" >> "$log"; }
field() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
progress() {
  printf '{"jsonrpc":"2.0","method":"notifications/progress","params":'
  printf '{"progressToken":%s,"progress":%s}}\n' "$token" "$n"
}
holds() {
  n=0
  while [ "$n" -lt "$hold" ]; do
    sleep 5
    n=$((n + 5))
    [ "$mode" = told ] && progress
  done
  note answered
  answer '"result":{"content":[{"type":"text","text":"HELD"}]}'
}
us='"protocolVersion":"2025-06-18","capabilities":{"tools":{}}'
us="$us,\"serverInfo\":{\"name\":\"hold\",\"version\":\"1\"}"
tool='"name":"write_file","description":"holds","inputSchema":{"type":"object"}'
while IFS= read -r line; do
  id=$(field id)
  case "$line" in
    *'"initialize"'*) answer "\"result\":{$us}" ;;
    *'"tools/list"'*)
      note tools/list
      answer "\"result\":{\"tools\":[{$tool}]}" ;;
    *'"tools/call"'*)
      note call
      token=$(field progressToken)
      holds & call=$! ;;
    *'"notifications/cancelled"'*) note cancelled ;;
    *'"id"'*) answer '"error":{"code":-32601,"message":"no"}' ;;
  esac
done
note ended
[ -n "$call" ] && kill "$call"
