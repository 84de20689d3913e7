import type { SeenMember } from '#client/index.ts'
import { type ReadOptions, walkSize } from '#console/app/api/call.ts'
import { readChanges } from '#console/app/api/changes.ts'
import { findBirthdays, findMembers, newestMemberTimes, seesOnlyNames } from '#console/app/api/members.ts'
import { newestTodoTimes } from '#console/app/api/todos.ts'

const shownMembers = 5
const shownChanges = 6

/** The newest members, and the latest changes for those who may see them. */
export const readNews = async (options: ReadOptions) => {
  const query = { name: '', sort: 'memberId,desc', page: 0, size: shownMembers }
  const newestMembers = (await findMembers(query, options)).value.content
  const latestChanges = seesOnlyNames.get()
    ? undefined
    : await readChanges({ types: undefined, id: undefined, count: shownChanges }, options)
  return { newestMembers, latestChanges }
}

interface Birthday {
  readonly member: SeenMember
  readonly dayStartMs: number
}

const maxBirthdays = 5
const birthdayDays = 7

/** The birthdays within a week, the next ones first. If there are many, only those of the first days. */
export const readBirthdays = async (options: ReadOptions): Promise<readonly Birthday[]> => {
  const birthdays: Birthday[] = []
  const today = new Date()
  for (let offset = 0; offset < birthdayDays; offset++) {
    if (birthdays.length >= maxBirthdays || seesOnlyNames.get()) break
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() + offset)
    const members = await findBirthdays(day, maxBirthdays - birthdays.length, options)
    birthdays.push(...members.map((member) => ({ member, dayStartMs: day.getTime() })))
  }
  return birthdays
}

export interface Day {
  readonly startMs: number
  readonly added: number
}

const shownDays = 30

/** The records added on each of the last days. If `isComplete` is false, the earliest days may have more. */
export interface Days {
  readonly days: readonly Day[]
  readonly total: number
  readonly isComplete: boolean
}

/** The records added on the last days. Members are left out if the user does not see when they were created. */
export const readDays = async (options: ReadOptions) => {
  const [members, todos] = await Promise.all([
    seesOnlyNames.get() ? undefined : newestMemberTimes(options),
    newestTodoTimes(options),
  ])
  return { members: members && daysOf(members), todos: daysOf(todos) }
}

const daysOf = (instants: readonly string[]): Days => {
  const today = new Date()
  const dayStarts = Array.from({ length: shownDays }, (_, index) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1 - shownDays + index).getTime(),
  )
  const times = instants.map((instant) => Date.parse(instant)).filter((time) => time >= (dayStarts[0] ?? 0))
  const days = dayStarts.map((startMs, index) => {
    const end = dayStarts[index + 1] ?? Number.POSITIVE_INFINITY
    return { startMs, added: times.filter((time) => time >= startMs && time < end).length }
  })
  return { days, total: times.length, isComplete: times.length < walkSize }
}
