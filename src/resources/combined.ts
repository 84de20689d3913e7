import { policyWith } from '#access/policy.ts'
import { commonErrors } from '#core/messages.ts'
import { codeOfKind } from '#core/problem.ts'
import { type Code, mergeErrors, wordsOf } from '#core/words.ts'
import { importPolicy } from './import/index.ts'
import { importCodes, importErrors } from './import/messages.ts'
import { resources } from './index.ts'
import { declaredScopes, keyScopes } from './key/declaration.ts'
import type { Resource } from './resource.ts'
import { viewCodes, viewErrors } from './views.ts'

/** The codes that all resources share, and those of each resource. */
export const errorsOf = (resources: readonly Resource[]) =>
  mergeErrors([commonErrors, importErrors, viewErrors, ...resources.map(({ errors = {} }) => errors)])

/** The names of the codes in programs. */
export const codesOf = (resources: readonly Resource[]): Readonly<Record<string, Code>> =>
  Object.assign({}, codeOfKind, importCodes, viewCodes, ...resources.map(({ errorCodes }) => errorCodes))

/** The scopes of these resources that keys can have. */
export const keyScopesOf = (rooms: readonly Resource[]): readonly string[] => [
  ...keyScopes,
  ...declaredScopes(rooms.filter(({ name }) => !shippedNames.has(name))),
]

const shippedNames = new Set(resources.map(({ name }) => name))

export const policyOf = (resources: readonly Resource[]) => ({
  ...policyWith(Object.assign({}, ...resources.map(({ policy }) => policy))),
  ...importPolicy(resources),
})

export const allErrors = errorsOf(resources)

export const allWords = wordsOf(allErrors)
