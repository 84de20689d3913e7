// @ts-check
import { createRequire } from 'node:module'
import { nodeFault } from './needed-node.js'

// The package exports this file as `rollcall`. It loads index.ts after checking that this version of Node can run TypeScript.
const fault = nodeFault()
if (fault !== undefined) throw new Error(fault)

// A static import would load index.ts before the check. A dynamic import would be asynchronous, so programs could not `require` this file.
const require = createRequire(import.meta.url)
export const { rollcall, DataUnusable, SettingError } = require('./index.ts')
