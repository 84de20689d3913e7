#!/usr/bin/env node
// @ts-check
// In JavaScript: what a start loads first is not worth a type stripper (decision 0033).
import * as modules from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { nodeFault } from './needed-node.js'

const fault = nodeFault()
if (fault !== undefined) {
  process.stderr.write(`rollcall: ${fault}\n`)
  process.exit(2)
}

// After a slow moment V8 may take objects of requests for lasting ones, and then throughput is halved (decision 0033).
setFlagsFromString('--no-allocation-site-pretenuring')

// The next start takes what was compiled from a folder of the user's own; where none can be written, nothing is kept.
const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env
if (XDG_CACHE_HOME) {
  const folder = `${XDG_CACHE_HOME}/rollcall`
  modules.enableCompileCache(folder)
  // Threads are told so: without it each loads the type stripper, a sixth of all memory.
  process.env.NODE_COMPILE_CACHE ??= folder
}

// Before all else that a start loads: a signal that comes meanwhile does not kill it.
if (process.argv[2] === 'serve') (await import('./cli/signals.ts')).catchSignals()

const { run } = await import('./cli/index.ts').catch((error) => {
  if (!/^Cannot find package/.test(error.message)) throw error
  process.stderr.write('rollcall: The packages that it needs are not installed: run `npm ci`.\n')
  process.exit(2)
})
await run(process.argv)
// Now, and not only at a good end: who is killed starts as fast again.
modules.flushCompileCache()
