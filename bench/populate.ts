import { risingIds } from '../src/core/id.ts'
import { passwordHasher } from '../src/core/password.ts'
import { memberStore } from '../src/resources/member/store.ts'
import { todoStore } from '../src/resources/todo/store.ts'
import { openDatabase } from '../src/sql/open.ts'
import { person } from './people.ts'

/** A program of its own: fills a migrated database with members and todos up to `to` of each, through the service's own stores. */
const [url = '', from = '0', to = '0'] = process.argv.slice(2)

const atOnce = 512
const aSecondMs = 1000
const timedInserts = 4000
const timedAtOnce = 32

const db = await openDatabase(url)
const members = memberStore(db)
const todos = todoStore(db)
const begun = Date.now() - Number(to) * aSecondMs
let created = begun
const newId = risingIds({ now: () => created })
const passwordHash = await passwordHasher().hash('correct horse battery')

const addMember = async (number: number) => {
  created = begun + number * aSecondMs
  await members.insert(person(number, newId(), created), passwordHash)
}

const addTodo = async (number: number) => {
  created = begun + number * aSecondMs
  await todos.insert({
    todoId: newId(),
    todoTitle: `Call member ${number}`,
    finished: number % 3 === 0,
    createdAt: created,
    version: 1,
  })
}

interface Numbers {
  readonly from: number
  readonly to: number
}

const each = async (add: (number: number) => Promise<void>, { from, to }: Numbers, lanes: number) => {
  let next = from
  const lane = async () => {
    while (next < to) await add(next++)
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: lanes }, lane))
  return (performance.now() - start) / (to - from)
}

const range = { from: Number(from), to: Number(to) }
await each(addMember, range, atOnce)
await each(addTodo, range, atOnce)
const timed = { from: range.to, to: range.to + timedInserts }
const memberMs = await each(addMember, timed, timedAtOnce)
const todoMs = await each(addTodo, timed, timedAtOnce)
await db.close()

process.stdout.write(JSON.stringify({ memberInsertMs: memberMs, todoInsertMs: todoMs, added: timedInserts }))
