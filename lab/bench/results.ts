import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { cpus, release, type as systemName, totalmem } from 'node:os'
import { join } from 'node:path'
import { median } from '#lab/median.ts'
import { openScratch } from './scratch.ts'
import { pins } from './server.ts'

const folder = join(import.meta.dirname, 'results')
const source = join(import.meta.dirname, '../../src')

/** Where and how something was measured. */
export interface Circumstances {
  readonly date: string
  /** The last that changed the service. */
  readonly commit: string
  /** The name of the processor, and how much there is of what. */
  readonly host: string
  readonly system: string
  readonly node: string
  readonly pinned: boolean
  /** How long the disk takes to make a page durable. */
  readonly syncMs: number
}

export const circumstances = (): Circumstances => ({
  date: new Date().toISOString().slice(0, 10),
  commit:
    spawnSync('git', ['log', '-1', '--format=%h', '--', source], { encoding: 'utf8' }).stdout?.trim() ?? '',
  host: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: `${systemName()} ${release()}`,
  node: process.version,
  pinned: pins,
  syncMs: timeSync(),
})

const syncs = 100
const page = Buffer.alloc(4096)

const timeSync = () => {
  const scratch = openScratch()
  const file = openSync(join(scratch.folder, 'synced'), 'w')
  const times = Array.from({ length: syncs }, () => {
    const startedAtMs = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - startedAtMs
  })
  closeSync(file)
  scratch.close()
  return median(times)
}

/** Keeps a result, so that the report can be rewritten. */
export const saveResult = (name: string, result: object) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileOf(name), `${JSON.stringify(result)}\n`)
}

export const readResult = <T>(name: string): T | undefined =>
  existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as T) : undefined

const fileOf = (name: string) => join(folder, `${name}.json`)
