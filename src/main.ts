#!/usr/bin/env node
const oldestNode = 26

// What is imported before this is said would fail on an older Node with words that nobody understands.
if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(`rollcall: Node ${oldestNode} or later is needed; this is ${process.versions.node}.\n`)
  process.exit(2)
}
await keepCompiled()
const { run } = await import('./cli/index.ts')
await run(process.argv)

/** The next start takes what was compiled from a folder of the user's own; where none can be written, nothing is kept. */
async function keepCompiled() {
  const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env
  if (!XDG_CACHE_HOME) return
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(`${XDG_CACHE_HOME}/rollcall`)
}
