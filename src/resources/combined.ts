import { policyWith } from '#access/policy.ts'
import { type Code, mergeErrors, messagesOf } from '#core/error-table.ts'
import { commonErrors } from '#core/messages.ts'
import { codeOfKind } from '#core/problem.ts'
import { importPolicy } from './import/index.ts'
import { importCodes, importErrors } from './import/messages.ts'
import { resources } from './index.ts'
import { declaredScopes, keyScopes } from './key/declaration.ts'
import type { Resource } from './resource.ts'
import { viewCodes, viewErrors } from './views.ts'

/** The error codes that all resources share, and those of each resource, with their texts. */
export const errorsOf = (resources: readonly Resource[]) =>
  mergeErrors([commonErrors, importErrors, viewErrors, ...resources.map(({ errors = {} }) => errors)])

/** All error codes, by the name that programs use for each. */
export const codesOf = (resources: readonly Resource[]): Readonly<Record<string, Code>> =>
  Object.assign({}, codeOfKind, importCodes, viewCodes, ...resources.map(({ errorCodes }) => errorCodes))

/** The scopes that a key can have. */
export const keyScopesOf = (all: readonly Resource[]): readonly string[] => [
  ...keyScopes,
  ...declaredScopes(all.filter(({ name }) => !shippedNames.has(name))),
]

const shippedNames = new Set(resources.map(({ name }) => name))

export const policyOf = (resources: readonly Resource[]) => ({
  ...policyWith(Object.assign({}, ...resources.map(({ policy }) => policy))),
  ...importPolicy(resources),
})

export const allErrors = errorsOf(resources)

export const allMessages = messagesOf(allErrors)
