import { hash } from 'node:crypto'
import { Problem, preconditionFailed } from '#core/problem.ts'
import { type Exchange, header, occurrencesOf } from '#http/wire/exchange.ts'
import { parseHttpDate } from '#http/wire/http-date.ts'

/** The request whose conditions are checked, and the parameters in its path. */
interface ConditionalRequest {
  readonly exchange: Exchange
  readonly params: Readonly<Record<string, string>>
}

/** The facts about an item that conditions are compared with. */
export interface TagState {
  /** The beginning of all tags of the current version. */
  readonly tagPrefix: string
  readonly lastModifiedAt?: number | undefined
  /** Values that are shown but change without a new version. */
  readonly unversionedText?: string | undefined
}

/** The tag of one representation of an item. If the item has unversioned text, a hash of it replaces the edition in the tag. */
export const itemTag = ({ tagPrefix, unversionedText }: TagState, variant: string) => {
  if (unversionedText === undefined) return `"${tagPrefix}${variant}"`
  const edition = hash('sha256', `${variant} ${unversionedText}`, 'base64url').slice(0, editionCharacters)
  return `"${tagPrefix}${variant.replace(/\.[\w-]{5}/, `.${edition}`)}"`
}

export const editionCharacters = 5

/** The tag of a list. It names the state of the whole database, so it changes with the list and needs no scan (decision 0009). */
export const listTag = (commitToken: string, variant: string) => `W/"${commitToken}-${variant}"`

interface Validators {
  /** Undefined if it would reveal changes of fields that the caller may not see. */
  readonly tag: string | undefined
  readonly lastModifiedAt?: number | undefined
}

/** True if the caller already has this version (RFC 9110, 13.2.2, steps 3 and 4). */
export const isNotModified = (exchange: Exchange, { tag, lastModifiedAt }: Validators): boolean => {
  const knownTags = header(exchange, 'if-none-match')
  if (knownTags !== undefined)
    return knownTags === tag || knownTags.trim() === '*' || (tag !== undefined && namesTag(knownTags, tag))
  const since = dateOf(exchange, 'if-modified-since')
  return since !== undefined && lastModifiedAt !== undefined && seconds(lastModifiedAt) <= seconds(since)
}

const namesTag = (tags: string, tag: string) => tagsOf(tags).map(stripWeak).includes(stripWeak(tag))

/** Refuses `If-Match` with the tag of a list: such tags are weak, and a weak tag never matches. */
export const refuseListTag = (exchange: Exchange) => {
  const wanted = header(exchange, 'if-match')
  if (wanted !== undefined && wanted.trim() !== '*') throw preconditionFailed()
}

/** Refuses an addition to a list if If-Match names any state of the list, or If-None-Match names the current one. */
export const checkListConditions = async (exchange: Exchange, commitToken: () => Promise<string>) => {
  refuseListTag(exchange)
  const unwanted = header(exchange, 'if-none-match')
  if (unwanted === undefined) return
  const tagPrefix = `${await commitToken()}-`
  if (matches(unwanted, { tagPrefix, ids: [] }, stripWeak)) throw preconditionFailed()
}

/** Refuses a read if the caller demands another version (RFC 9110, 13.2.2, steps 1 and 2). */
export const requireMatch = ({ exchange, params }: ConditionalRequest, item: TagState) => {
  const wanted = header(exchange, 'if-match')
  if (wanted !== undefined) {
    if (!matches(wanted, tagPatternOf(item, params))) throw preconditionFailed()
    return
  }
  const since = dateOf(exchange, 'if-unmodified-since')
  if (since === undefined || item.lastModifiedAt === undefined) return
  if (seconds(item.lastModifiedAt) > seconds(since)) throw preconditionFailed()
}

/** True if the request sets a condition on its change. A date sets none for an item without Last-Modified (RFC 9110, 13.1.4). */
export const isConditional = (exchange: Exchange, hasLastModified: boolean) =>
  header(exchange, 'if-match') !== undefined ||
  header(exchange, 'if-none-match') !== undefined ||
  (hasLastModified && dateOf(exchange, 'if-unmodified-since') !== undefined)

/** Refuses a change if the item does not meet its conditions. The statement that writes checks that the version is still current. */
export const requireVersion = (request: ConditionalRequest, item: TagState) => {
  requireMatch(request, item)
  const unwanted = header(request.exchange, 'if-none-match')
  if (unwanted !== undefined && matches(unwanted, tagPatternOf(item, request.params), stripWeak))
    throw preconditionFailed()
}

export const requireIfMatch = (exchange: Exchange) => {
  if (header(exchange, 'if-match') === undefined) throw new Problem('preconditionRequired')
}

/** A tag matches if it has this prefix and, if it contains an id, one of these ids from the path. */
interface TagPattern {
  readonly tagPrefix: string
  readonly ids: readonly string[]
}

const tagPatternOf = ({ tagPrefix }: TagState, params: ConditionalRequest['params']): TagPattern => ({
  tagPrefix,
  ids: Object.values(params),
})

/** True if the list is `*` or contains a tag of the state, in any variant. Weak tags match only if `normalise` strips `W/`. */
const matches = (tags: string, { tagPrefix, ids }: TagPattern, normalise = (tag: string) => tag) => {
  if (tags.trim() === '*') return true
  const prefix = `"${tagPrefix}`
  return tagsOf(tags)
    .map(normalise)
    .filter((tag) => tag.startsWith(prefix))
    .some((tag) => {
      const variant = variantEnd.exec(tag.slice(prefix.length))
      const aliasedId = variant?.groups?.self
      return variant && (aliasedId === undefined || ids.includes(aliasedId))
    })
}

/**
 * The rest of a tag: format, view, edition, the caller behind an alias, and coding (decision 0037). In old tags the view is a
 * letter. A proxy that compresses appends its coding after one or two hyphens.
 */
const variantEnd =
  /^[jx](?:[a-z]{0,2}|l?-[A-Za-z]+)\.[\w-]{5}(?:\.(?<self>[\w-]{36}))?(?:\.[a-z]+|--?[a-z]+)?"$/

/** A list of tags and nothing else (RFC 9110, 8.8.3); any other text names no tag. */
const tagList = /^[\t ,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*(?:,[\t ,]*|$))+$/

const tagsOf = (list: string): string[] => (tagList.test(list) ? (list.match(/(?:W\/)?"[^"]*"/g) ?? []) : [])

const stripWeak = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag)

const seconds = (instant: number) => Math.floor(instant / 1000)

/** Anything other than exactly one valid date sets no condition. */
const dateOf = (exchange: Exchange, name: string) => {
  const text = header(exchange, name)
  return text === undefined || occurrencesOf(exchange.head, name) > 1 ? undefined : parseHttpDate(text)
}
