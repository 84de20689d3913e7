import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { fieldOf } from './access/callers.ts'
import { type Answer, type Api, startApp } from './harness.ts'
import { until } from './postgres-notes.ts'
import { body } from './scenarios/table.ts'

export const hour = 60 * 60 * 1000
const soon = { beatMs: 5, leaseMs: 60, answerMs: 2_000 }

/** Deliveries to the loopback, with nothing to wait for but the clock. */
export const startWithWebhooks = (
  t: TestContext,
  settings: Record<string, string> = {},
  world: Parameters<typeof startApp>[2] = {},
) => startApp(t, { WEBHOOK_HOSTS: '127.0.0.1', ...settings }, { deliveryLimits: soon, ...world })

export const createWebhook = async (api: Api, url: string, more: object = {}) => {
  const made = await api('POST /webhooks', { url, ...more })
  assert.equal(made.status, 201, made.text)
  return { id: fieldOf(made, 'webhookId'), secret: fieldOf(made, 'secret') }
}

export const onlyTodos = { types: ['todo.created', 'todo.updated', 'todo.deleted'] }

export const addTodos = async (api: Api, ...titles: readonly string[]) => {
  const ids: string[] = []
  for (const todoTitle of titles) ids.push(fieldOf(await api('POST /todos', { todoTitle }), 'todoId'))
  return ids
}

export const stateOf = async (api: Api, id: string) => body(await api(`GET /webhooks/${id}`))
export const untilState = (api: Api, id: string, state: string) =>
  until(async () => (await stateOf(api, id)).state === state)
export const contentOf = (answer: Answer) => body(answer).content as Readonly<Record<string, unknown>>[]
export const subjects = (all: readonly { readonly subject: string }[]) => all.map(({ subject }) => subject)
