import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const folder = fileURLToPath(new URL('./', import.meta.url))
export const documentPath = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url))

const scratched: string[] = []

process.on('exit', () => {
  for (const made of scratched) rmSync(made, { recursive: true, force: true })
})

/** A folder that is removed when the process exits. */
export const scratch = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'rollcall-judges-'))
  scratched.push(made)
  return made
}

export interface ToolResult {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs one of the tools installed in this folder. */
export const run = (tool: string, args: readonly string[], cwd = folder): Promise<ToolResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(`${folder}../node_modules/.bin/${tool}`, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output, errors }))
  })
