import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { PlantResult } from '#lab/planted/plant.ts'
import { plants } from '#lab/planted/plants.ts'
import { projectRoot } from '../../test/program.ts'
import type { Outcome } from './fault.ts'
import { faults } from './faults.ts'
import { table } from './table.ts'

export interface FaultResult {
  readonly name: string
  readonly engine: string
  readonly promise: string
  /** The share of the rounds that was run, from 0 to 1. */
  readonly size: number
  readonly seconds: number
  /** The load average of the machine before it began. */
  readonly loadAverage: number
  readonly outcome: Outcome | undefined
  /** Why it could not be run. */
  readonly reason: string | undefined
}

export interface Result {
  readonly tried: readonly FaultResult[]
  readonly caught: readonly PlantResult[]
}

const folder = join(projectRoot, 'docs/durability')
const file = join(folder, 'campaign.json')

const document = join(projectRoot, 'docs/durability.md')
const [begin, end] = ['<!-- campaign -->', '<!-- end of the campaign -->']
const tablePlace = new RegExp(`${begin}[^]*${end}`)

/** Writes figures and table for the document; results of faults not run this time stay. */
export const write = (now: Result) => {
  const before: Result = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Result)
    : { tried: [], caught: [] }
  const result = {
    tried: faults.flatMap(({ name }) => latest(name, now.tried, before.tried)),
    caught: plants.flatMap(({ name }) => latest(name, now.caught, before.caught)),
  }
  const machine = {
    cores: cpus().length,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify({ machine, ...result })}\n`)
  const text = readFileSync(document, 'utf8')
  writeFileSync(
    document,
    text.replace(tablePlace, () => `${begin}\n${table(result)}\n${end}`),
  )
}

const latest = <T extends { readonly name: string }>(name: string, now: readonly T[], before: readonly T[]) =>
  now.find((one) => one.name === name) ?? before.find((one) => one.name === name) ?? []
