import { person } from '#lab/people.ts'
import { increasingIds } from '../../src/core/id.ts'
import { passwordHasher } from '../../src/core/password.ts'
import { logEntryMaker, serviceActor } from '../../src/ledger/change-log.ts'
import { memberStore } from '../../src/resources/member/store.ts'
import { todo } from '../../src/resources/todo/index.ts'
import { openDatabase } from '../../src/sql/open.ts'

/** A program of its own: fills a migrated database with members and todos up to `to` of each, through the service's own stores. */
const [url = '', from = '0', to = '0', lanes = '512'] = process.argv.slice(2)

const secondMs = 1000

const db = await openDatabase(url)
const firstCreatedAt = Date.now() - Number(to) * secondMs
let created = firstCreatedAt
const newId = increasingIds({ now: () => created })
const makeLogEntry = logEntryMaker({ clock: { now: () => created }, newId })
const members = memberStore(db, makeLogEntry)
const todos = todo.store(db, makeLogEntry)
const passwordHash = await passwordHasher().hash('correct horse battery')

const addMember = async (number: number) => {
  created = firstCreatedAt + number * secondMs
  await members.insert(person(number, newId(), created), { passwordHash }, serviceActor())
}

const addTodo = async (number: number) => {
  created = firstCreatedAt + number * secondMs
  const times = { createdAt: created, lastModifiedAt: created }
  const todo = { todoId: newId(), todoTitle: `Call member ${number}`, finished: number % 3 === 0 }
  await todos.insert({ ...todo, ...times, version: 1 }, serviceActor())
}

interface NumberRange {
  readonly from: number
  readonly to: number
}

/** Returns the time of one in microseconds. */
const runInLanes = async (add: (number: number) => Promise<void>, { from, to }: NumberRange) => {
  let next = from
  const lane = async () => {
    while (next < to) await add(next++)
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: Number(lanes) }, lane))
  return ((performance.now() - start) * 1000) / (to - from)
}

const range = { from: Number(from), to: Number(to) }
const memberUs = await runInLanes(addMember, range)
await runInLanes(addTodo, range)
await db.close()

process.stdout.write(String(memberUs))
