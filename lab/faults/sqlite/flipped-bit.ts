import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { numberedId, storedMember } from '#lab/people.ts'
import { migrateAll } from '../../../src/app/migrations.ts'
import { allRecords } from '../../../src/cli/data.ts'
import { verifyLedger } from '../../../src/ledger/records.ts'
import { resources } from '../../../src/resources/index.ts'
import type { Engine } from '../../../src/sql/engine.ts'
import { openDatabase } from '../../../src/sql/open.ts'
import { type Fault, rounds } from '../fault.ts'

const members = 60
const todos = 60

/** One bit is flipped, anywhere in the file. */
export const flippedBit: Fault = {
  name: 'a flipped bit',
  engine: 'sqlite',
  promise:
    'If a record reads differently from how it was written, the start refuses the file, or a check reports it.',
  async run(stage) {
    const good = join(stage.directory, 'good.db')
    const file = join(stage.directory, 'flipped.db')
    await fill(good)
    const bytes = readFileSync(good)
    const { shown: expected, findings, error } = await examine(good)
    if (findings > 0 || error) throw new Error(`the good file has ${findings} findings: ${error}`)
    const flips = rounds(stage, 1500)
    const tally = { refused: 0, byFile: 0, byChecksum: 0, harmless: 0, missed: [] as string[] }
    for (let n = 0; n < flips; n++) {
      const bit = Math.floor(((n + Math.random()) / flips) * bytes.length * 8)
      copyFileSync(good, file)
      const flipped = Buffer.from(bytes)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      writeFileSync(file, flipped)
      const seen = await examine(file)
      const isSound = integrityOf(file) === 'ok'
      if (seen.error) tally.refused++
      else if (!isSound) tally.byFile++
      else if (seen.findings > 0) tally.byChecksum++
      else if (seen.shown === expected) tally.harmless++
      else tally.missed.push(`bit ${bit} changed a record and was not found`)
      for (const end of ['', '-wal', '-shm', '.lock']) rmSync(file + end, { force: true })
      if (n % 20 === 0) stage.progress(n / flips)
    }
    const { missed, ...counts } = tally
    return {
      figure: `${flips} bits: ${tally.refused} refused, ${tally.byFile} found in the file, ${tally.byChecksum} by verify alone, ${tally.harmless} changed no record, ${missed.length} missed`,
      broken: [
        ...missed.slice(0, 5),
        ...(tally.byChecksum === 0 ? ['verify alone found none: nothing is proven'] : []),
      ],
      figures: { flips, ...counts, missed: missed.length },
    }
  },
}

const address = 'A street and a number. '.repeat(8)

const fill = async (file: string) => {
  const db = await openDatabase(`sqlite:${file}`)
  await migrateAll(db)
  const [one, other] = ['members', 'todos'].map((name) =>
    allRecords(db, resources).find((all) => all.name === name),
  )
  const people = Array.from({ length: members }, (_, n) => storedMember(n))
  await one?.insert(people.map((person) => ({ ...person, address })))
  await other?.insert(
    Array.from({ length: todos }, (_, n) => ({
      todoId: numberedId(n),
      todoTitle: `Something to do ${n}`,
      finished: n % 2 === 0,
      createdAt: 1_700_000_000_000 + n,
      version: 1,
    })),
  )
  await db.close()
}

/** The records and the number of findings of `verify`, or the error if the file cannot be read. */
const examine = async (file: string) => {
  try {
    const db = await openDatabase(`sqlite:${file}`)
    try {
      return { findings: await findingsIn(db), shown: await shownOf(db), error: undefined }
    } finally {
      await db.close()
    }
  } catch (error) {
    return { findings: 0, shown: '', error }
  }
}

const findingsIn = async (db: Engine) => {
  let count = 0
  for (const { verify } of resources) if (verify) for await (const _ of verify(db)) count++
  for await (const _ of verifyLedger(db)) count++
  return count
}

const shownOf = async (db: Engine) => {
  const shown: unknown[] = []
  for (const records of allRecords(db, resources))
    for await (const batch of records.stream()) shown.push(...batch)
  return JSON.stringify(shown)
}

const integrityOf = (file: string) => {
  try {
    using db = new DatabaseSync(file)
    return db.prepare('PRAGMA integrity_check').get()?.integrity_check
  } catch {
    return 'unreadable'
  }
}
