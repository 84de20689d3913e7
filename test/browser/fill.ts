import type { TestContext } from 'node:test'
import { startApp } from '#test/harness.ts'
import { chores, people } from '#test/people.ts'

/** A service with a few members, and todos of which one is finished. */
export const fill = async (t: TestContext) => {
  const api = await startApp(t)
  const { body: created } = await api('POST /members', people[0])
  for (const person of people.slice(1, 4)) await api('POST /members', person)
  for (const todoTitle of chores) await api('POST /todos', { todoTitle })
  const { body } = await api('GET /todos')
  for (const { todoId } of (body as { todoId: string }[]).slice(0, 1)) await api(`PUT /todos/${todoId}`)
  return { api, memberId: (created as { memberId: string }).memberId }
}
