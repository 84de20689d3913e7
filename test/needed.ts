import { spawnSync } from 'node:child_process'

/** Why a test that needs this program cannot run, or false. In CI its absence is a failure. */
export const withoutProgram = (program: string, argument = '--version'): string | false => {
  if (spawnSync(program, [argument]).error === undefined) return false
  const reason = `NOT RUN: there is no ${program}`
  if (process.env.CI) throw new Error(reason)
  return reason
}
