#!/usr/bin/env node
import { run } from './cli/index.ts'

await run(process.argv)
