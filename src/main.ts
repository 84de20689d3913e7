#!/usr/bin/env node
const oldestNode = 26

// What is imported before this is said would fail on an older Node with words that nobody understands.
if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(`rollcall: Node ${oldestNode} or later is needed; this is ${process.versions.node}.\n`)
  process.exit(2)
}
const { run } = await import('./cli/index.ts')
await run(process.argv)
