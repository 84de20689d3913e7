import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, type as systemName, totalmem } from 'node:os'
import { join } from 'node:path'
import { pins } from './server.ts'

const folder = join(import.meta.dirname, 'results')

/** Where and how something was measured. */
export interface Circumstances {
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly pinned: boolean
}

export const circumstances = (): Circumstances => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${systemName()} ${release()}`,
  node: process.version,
  pinned: pins,
})

/** Keeps a result, so that the report can be rewritten. */
export const keep = (name: string, result: object) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileOf(name), `${JSON.stringify(result)}\n`)
}

export const kept = <T>(name: string): T | undefined =>
  existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as T) : undefined

const fileOf = (name: string) => join(folder, `${name}.json`)
