import { httpSyntax, Problem } from '#core/problem.ts'
import { isHost } from './origin.ts'

export interface Target {
  /** As it was sent: nothing is decoded, so that each path has only one spelling. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** The authority of a target in absolute form. It replaces Host. */
  readonly authority: string | undefined
}

const absoluteForm = /^https?:\/\/([^/?#]+)((?:[/?][^#]*)?)$/i

export const parseTarget = (url: string): Target => {
  if (url.startsWith('/')) return split(url, undefined)
  const [, authority, rest = ''] = absoluteForm.exec(url) ?? []
  if (authority === undefined || !isHost(authority)) throw new Problem('httpSyntax')
  return split(rest.startsWith('/') ? rest : `/${rest}`, authority)
}

/** The path of a target that may be invalid. Empty if the target has none. */
export const pathOf = (url: string): string => /^(?:https?:\/\/[^/?#]+)?(\/[^?]*)/i.exec(url)?.[1] ?? ''

/** The path without `.json` or `.xml`, which only selects a representation. */
export const withoutSuffix = (path: string, suffix: string | undefined) =>
  suffix === undefined ? path : path.slice(0, -suffix.length - 1)

/** The text after the first dot of the last segment. */
export const suffixOf = (path: string): string | undefined => {
  const dot = path.indexOf('.', path.lastIndexOf('/'))
  return dot < 0 ? undefined : path.slice(dot + 1)
}

/** The problem with a target that must be encoded. Characters that browsers send unencoded, such as `|`, are accepted. */
export const unencodedTarget = () => httpSyntax({ code: 'Unencoded' })

const forbiddenCharacter = /[^!$-;=?-~]/

const split = (url: string, authority: string | undefined): Target => {
  if (forbiddenCharacter.test(url)) throw unencodedTarget()
  const queryStart = url.indexOf('?')
  if (queryStart < 0) return { path: url, query: '', authority }
  return { path: url.slice(0, queryStart), query: url.slice(queryStart + 1), authority }
}
