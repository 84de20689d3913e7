import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from './fault.ts'
import { picture } from './picture.ts'
import type { Caught } from './planted/planted.ts'
import { projectRoot } from './service.ts'

export interface Tried {
  readonly name: string
  readonly engine: string
  readonly promise: string
  readonly seconds: number
  readonly outcome: Outcome | undefined
  /** Why it could not be tried. */
  readonly reason: string | undefined
}

export interface Result {
  readonly tried: readonly Tried[]
  readonly caught: readonly Caught[]
}

/** Leaves figures and picture beside the document that shows them. */
export const write = (result: Result) => {
  const machine = {
    cores: cpus().length,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
  const folder = join(projectRoot, 'docs/durability')
  writeFileSync(join(folder, 'campaign.json'), `${JSON.stringify({ machine, ...result }, undefined, 1)}\n`)
  writeFileSync(join(folder, 'campaign.svg'), picture(result))
}
