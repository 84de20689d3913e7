import assert from 'node:assert/strict'
import type { Answer, Api } from '../harness.ts'
import { person } from '../people.ts'
import { type Body, body, field } from './table.ts'

export const createTodo = async (api: Api, todoTitle = 'write tests'): Promise<string> => {
  const answer = await api('POST /todos', { todoTitle })
  assert.equal(answer.status, 201, answer.text)
  return field(answer, 'todoId')
}

export const createMember = async (api: Api, fields: Body = {}): Promise<Body> => {
  const answer: Answer = await api('POST /members', person(fields))
  assert.equal(answer.status, 201, answer.text)
  return body(answer)
}

/** A member that tests share. It is created on first use. */
export const sharedMember = (app: () => Api): (() => Promise<{ readonly member: string }>) => {
  let member: Promise<Body> | undefined
  return async () => {
    member ??= createMember(app())
    return { member: String((await member).memberId) }
  }
}
