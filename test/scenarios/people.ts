import assert from 'node:assert/strict'
import type { Answer, Api } from '../harness.ts'
import { type Body, body, field } from './table.ts'

let count = 0

/** A valid body for a new member, with an e-mail address of its own. */
export const person = (fields: Body = {}): Body => {
  count += 1
  return {
    firstName: 'John',
    lastName: 'Smith',
    genderCode: '1',
    dateOfBirth: '1990-04-01',
    emailAddress: `Person${count}@example.com`,
    telephoneNumber: '090-1234-5678',
    zipCode: '123-4567',
    address: 'Tokyo',
    credential: { password: 'open sesame' },
    ...fields,
  }
}

/** The same without a credential: a valid body for an update. */
export const profile = (fields: Body = {}): Body => ({ ...without(person(), 'credential'), ...fields })

export const without = (whole: Body, ...names: string[]): Body =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)))

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

/** One member that tests share, created on first use. */
export const sharedMember = (app: () => Api): (() => Promise<{ readonly member: string }>) => {
  let member: Promise<Body> | undefined
  return async () => {
    member ??= createMember(app())
    return { member: String((await member).memberId) }
  }
}
