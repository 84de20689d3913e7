#!/usr/bin/env node
// @ts-check
// This file is JavaScript, so that a start does not have to load the type stripper first (decision 0033).
import * as modules from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { nodeFault } from './needed-node.js'

const fault = nodeFault()
if (fault !== undefined) {
  process.stderr.write(`rollcall: ${fault}\n`)
  process.exit(2)
}

// After a slow moment, V8 may treat the objects of requests as long-lived. Throughput would then be halved (decision 0033).
setFlagsFromString('--no-allocation-site-pretenuring')

// Compiled code is cached for the next start in a folder of the user. Without a writable folder, nothing is cached.
const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env
if (XDG_CACHE_HOME) {
  const folder = `${XDG_CACHE_HOME}/rollcall`
  modules.enableCompileCache(folder)
  // Threads find the cache by this variable. Without it each thread would load the type stripper, which takes a sixth of all memory.
  process.env.NODE_COMPILE_CACHE ??= folder
}

// Signals are caught before the other modules are loaded, so that a signal during the start does not kill the process.
if (process.argv[2] === 'serve') (await import('./cli/signals.ts')).catchSignals()

const { run } = await import('./cli/index.ts').catch((error) => {
  if (!/^Cannot find package/.test(error.message)) throw error
  process.stderr.write('rollcall: Packages that it needs are not installed: run `npm ci`.\n')
  process.exit(2)
})
await run(process.argv)
// The cache is written now, so that the next start is fast even if this process is killed.
modules.flushCompileCache()
