import { httpSyntax, Problem } from '#core/problem.ts'
import { isHost } from './origin.ts'

export interface Target {
  /** As sent: nothing is decoded, so that no path has a second name. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** The authority of a target in absolute form. It replaces Host. */
  readonly authority: string | undefined
}

const absolute = /^https?:\/\/([^/?#]+)((?:[/?][^#]*)?)$/i

export const parseTarget = (url: string): Target => {
  if (url.startsWith('/')) return split(url, undefined)
  const [, authority, rest = ''] = absolute.exec(url) ?? []
  if (authority === undefined || !isHost(authority)) throw new Problem('httpSyntax')
  return split(rest.startsWith('/') ? rest : `/${rest}`, authority)
}

/** The path of a possibly invalid target. Empty if it has none. */
export const pathOf = (url: string): string => /^(?:https?:\/\/[^/?#]+)?(\/[^?]*)/i.exec(url)?.[1] ?? ''

/** The path of the resource itself; the suffix selects a representation. */
export const withoutSuffix = (path: string, suffix: string | undefined) =>
  suffix === undefined ? path : path.slice(0, -suffix.length - 1)

/** The text after the first dot of the last segment. */
export const suffixOf = (path: string): string | undefined => {
  const dot = path.indexOf('.', path.lastIndexOf('/'))
  return dot < 0 ? undefined : path.slice(dot + 1)
}

/** The target contains a character that URLs may not. Characters that browsers send unencoded, such as `|`, are accepted. */
export const unencoded = () => httpSyntax({ code: 'Unencoded' })

const isUnencoded = /[^!$-;=?-~]/

const split = (url: string, authority: string | undefined): Target => {
  if (isUnencoded.test(url)) throw unencoded()
  const mark = url.indexOf('?')
  if (mark < 0) return { path: url, query: '', authority }
  return { path: url.slice(0, mark), query: url.slice(mark + 1), authority }
}
