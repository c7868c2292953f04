// Tollgate's bridge in OpenCode, made by `tollgate init`. It judges nothing: it hands what OpenCode
// is about to do to the hook below, and does what the hook answers. A call that the hook does not
// answer in time and in form does not run. Do not edit it: `tollgate doctor` compares it.
import { spawn } from "node:child_process"
import { isMainThread } from "node:worker_threads"

const HOOK = "{{HOOK}}"
const HOST = "{{HOST}}"
const LATE_MS = 3000
const REVIEWER = "{{REVIEWER}}"
const REVIEWER_PROMPT = "{{REVIEWER_PROMPT}}"
const CHECKER = "{{CHECKER}}"
const CHECKER_PROMPT = "{{CHECKER_PROMPT}}"
const CRITIC = "{{CRITIC}}"
const CRITIC_PROMPT = "{{CRITIC_PROMPT}}"
const VALIDATOR = "{{VALIDATOR}}"
const VALIDATOR_PROMPT = "{{VALIDATOR_PROMPT}}"
const PLANNER = "plan"
const END_LATE_MS = 1000
const LINEAGE_LATE_MS = 1000
const ANSWER_MAX = 1024 * 1024
const GENERATIONS_MAX = 16
const TOAST_MS = 60000
const OUTPUT_HEAD = 2000
const OUTPUT_TAIL = 6000

// What a command printed; the middle of a long text is left out.
const ends = (text) =>
  text.length <= OUTPUT_HEAD + OUTPUT_TAIL
    ? text
    : `${text.slice(0, OUTPUT_HEAD)}\n${text.slice(-OUTPUT_TAIL)}`

const fault = (what) =>
  `tollgate fault, not a policy decision: the hook ${what}. ` +
  "This call was not let through. Next: run tollgate doctor. [fault/bridge]"

// What the hook answers; always an answer, never a rejection.
const ask = (event, payload, late = LATE_MS) =>
  new Promise((answered) => {
    let child
    const timer = setTimeout(() => {
      child?.kill("SIGKILL")
      answered({ broken: `did not answer within ${late / 1000} s` })
    }, late)
    const end = (answer) => {
      clearTimeout(timer)
      answered(answer)
    }
    try {
      child = spawn(HOOK, [HOST, event], { stdio: ["pipe", "pipe", "pipe"] })
      const said = { out: "", err: "" }
      const hear = (stream, into) => {
        stream.setEncoding("utf8")
        stream.on("data", (text) => {
          if (said[into].length < ANSWER_MAX) said[into] += text
        })
      }
      hear(child.stdout, "out")
      hear(child.stderr, "err")
      child.on("error", (error) => end({ broken: `could not be started (${error.message})` }))
      // A hook that answers before it has read everything is no error.
      child.stdin.on("error", () => {})
      child.on("close", (code, signal) => end(read(said, code, signal)))
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
    } catch (error) {
      end({ broken: `could not be asked (${error?.message})` })
    }
  })

const read = (said, code, signal) => {
  if (code !== 0) {
    const words = said.err.trim().slice(0, 1000)
    return words ? { deny: words } : { broken: `ended with ${signal ?? `status ${code}`}` }
  }
  try {
    const answer = JSON.parse(said.out)
    const denies = typeof answer.deny === "string" && answer.deny !== ""
    return denies || answer.go === true ? answer : { broken: "gave no verdict" }
  } catch {
    return { broken: "gave no readable answer" }
  }
}

const within = (promise, late) => {
  let timer
  const end = new Promise((_, no) => {
    timer = setTimeout(no, late, new Error("late"))
  })
  return Promise.race([promise, end]).finally(() => clearTimeout(timer))
}

export const Tollgate = async ({ client, directory }) => {
  // Where a human sits, OpenCode runs its plugins in a thread beside the one that draws.
  const attended = !isMainThread && process.stdout.isTTY === true
  const sessions = new Map()
  const started = new Map()
  const advice = new Map()
  const calls = new Map()
  let servers = []
  let count = 0

  const plans = new Map()

  // The user picks the agent with each message.
  const planned = ({ sessionID, agent }) => plans.set(sessionID, agent === PLANNER)

  const remember = (info) =>
    sessions.set(info.id, { parentID: info.parentID ?? "", agent: info.agent ?? "" })

  const known = async (id) => {
    if (!sessions.has(id)) {
      const found = await within(client.session.get({ path: { id } }), LINEAGE_LATE_MS)
      if (found?.data?.id !== id) throw new Error("unknown session")
      remember(found.data)
    }
    return sessions.get(id)
  }

  // Whose event it is: the session that the user sees, and the child session if one acts in it.
  const who = async (sessionID) => {
    const ours = { session_id: sessionID, cwd: directory, attended }
    try {
      let root = sessionID
      for (let n = 0; n < GENERATIONS_MAX; n++) {
        const { parentID } = await known(root)
        if (!parentID) break
        root = parentID
      }
      // Whoever acts while the user plans, plans.
      const whose = { ...ours, plan: plans.get(root) === true }
      if (root === sessionID) return whose
      return { ...whose, parent_id: root, agent: sessions.get(sessionID).agent }
    } catch {
      return { ...ours, lineage: "unknown" }
    }
  }

  // Hands on one event, the start of its session before it.
  const tell = async (event, sessionID, more) => {
    const whose = await who(sessionID)
    const root = whose.parent_id ?? sessionID
    if (!started.has(root)) {
      const source = sessions.get(root)?.fresh ? "startup" : "resume"
      const start = { session_id: root, cwd: directory, attended, source }
      started.set(root, ask("session_start", start))
    }
    const start = await started.get(root)
    const answer = await ask(event, { ...whose, ...more })
    for (const said of [start.notice, answer.notice]) if (said) show(said)
    const context = [start.context, answer.context].filter(Boolean).join("\n")
    start.notice = start.context = undefined
    return { ...answer, context }
  }

  // Some models number the calls of each turn anew.
  const numbered = (sessionID, callID, more) => {
    const key = `${sessionID} ${callID}`
    const count = (calls.get(key) ?? 0) + more
    calls.set(key, count)
    return count > 1 ? `${callID}#${count}` : callID
  }

  // The worker reads no toast.
  const show = (message) => {
    if (!attended) return
    const body = { title: "Tollgate", message, variant: "warning", duration: TOAST_MS }
    Promise.resolve(client.tui.showToast({ body })).catch(() => {})
  }

  const server = (tool) => {
    const spelled = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_") + "_"
    const ours = servers.filter((name) => tool.startsWith(spelled(name)))
    const name = ours.sort((a, b) => b.length - a.length)[0]
    return name && { server: name, tool: tool.slice(spelled(name).length) }
  }

  const quietly = (act) => async (...given) => {
    try {
      await act(...given)
    } catch {
      // What only tells the hook something must not break what OpenCode does.
    }
  }

  const add = (output, words) => {
    if (!words) return
    if (Array.isArray(output.content)) output.content.push({ type: "text", text: words })
    else output.output = `${output.output ?? ""}\n\n${words}`
  }

  return {
    config: quietly((config) => {
      servers = Object.keys(config.mcp ?? {})
      // After all files, so that no definition of these names is another's: they give verdicts.
      const permission = { "*": "deny", read: "allow", grep: "allow", glob: "allow", list: "allow" }
      const reviews = "Reviews the work of this session when Tollgate owes a review."
      const checks = "Checks the work of this session against what was asked, when a check is due."
      const agent = (description, prompt) => ({ mode: "subagent", description, prompt, permission })
      config.agent = {
        ...config.agent,
        [REVIEWER]: agent(reviews, REVIEWER_PROMPT),
        [CHECKER]: agent(checks, CHECKER_PROMPT),
        [CRITIC]: agent("Looks for what a plan hides.", CRITIC_PROMPT),
        [VALIDATOR]: agent("Compares a plan's known gaps with its critic's findings.", VALIDATOR_PROMPT),
      }
    }),

    event: quietly(({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created") {
        remember(info)
        sessions.get(info.id).fresh = true
      }
      // When a plan is left, OpenCode itself goes on in the user's name.
      if (event.type === "message.updated" && info?.role === "user") planned(info)
    }),

    "shell.env": quietly(async ({ sessionID }, output) => {
      if (!sessionID) return
      const { parent_id } = await who(sessionID)
      output.env.TOLLGATE_SESSION = parent_id ?? sessionID
    }),

    // Whatever goes wrong in here is thrown, and what is thrown stops the call.
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const id = numbered(sessionID, callID, 1)
      const call = { call_id: id, tool_name: tool, mcp: server(tool), tool_input: output.args }
      const answer = await tell("tool_before", sessionID, call)
      if (answer.broken) throw new Error(fault(answer.broken))
      if (answer.deny) throw new Error(answer.deny)
      if (answer.context) advice.set(id, answer.context)
      if (answer.args) {
        // OpenCode keeps its own reference: a new object would not be looked at.
        for (const name of Object.keys(output.args)) delete output.args[name]
        Object.assign(output.args, answer.args)
      }
    },

    "tool.execute.after": quietly(async ({ tool, sessionID, callID, args }, output) => {
      const last = String(output.output ?? "")
      const id = numbered(sessionID, callID, 0)
      add(output, advice.get(id))
      advice.delete(id)
      const { exit, sessionId } = output.metadata ?? {}
      const call = { call_id: id, tool_name: tool, mcp: server(tool), tool_input: args }
      const failed = typeof exit === "number" && exit !== 0
      if (failed) call.exit = exit
      if (typeof exit === "number") call.output = ends(last)
      if (typeof sessionId === "string") call.child_id = sessionId
      const answer = await tell(failed ? "tool_failed" : "tool_after", sessionID, call)
      add(output, answer.context)
      if (tool !== "task" || !sessionId) return
      const end = { last, prompt: sessions.get(sessionId)?.prompt }
      const ended = await tell("subagent_stop", sessionId, end)
      add(output, ended.context)
    }),

    "chat.message": async ({ sessionID }, { message, parts }) => {
      let blocked
      await quietly(async () => {
        const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
        const prompt = typed.map((part) => part.text).join("\n")
        const session = await known(sessionID).catch(() => undefined)
        const child = session?.parentID
        planned(message)
        if (child) session.prompt = [session.prompt, prompt].filter(Boolean).join("\n")
        const answer = await tell(child ? "subagent_start" : "prompt", sessionID, { prompt })
        if (answer.deny && !child) blocked = answer.deny
        if (!answer.context) return
        const id = `prt_tollgate${Date.now().toString(36)}${count++}`
        const text = answer.context
        parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
      })()
      if (blocked) throw new Error(blocked)
    },

    dispose: quietly(async () => {
      const end = (sessionID) =>
        ask("session_end", { session_id: sessionID, cwd: directory, attended }, END_LATE_MS)
      await Promise.all([...started.keys()].map(end))
    }),
  }
}
