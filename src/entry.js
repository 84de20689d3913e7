// @ts-check
import { createRequire } from 'node:module'
import { nodeFault } from './needed-node.js'

// What `import 'rollcall'` leads to in the package: index.ts, once Node is known to understand it.
const fault = nodeFault()
if (fault !== undefined) throw new Error(fault)

// A static import would be read before the check, and a program that uses `require` could not wait for a dynamic one.
const require = createRequire(import.meta.url)
export const { rollcall, DataUnusable, SettingError } = require('./index.ts')
