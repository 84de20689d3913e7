import { Command, InvalidArgumentError, Option } from 'commander'
import { segmentOf } from '#client/collection.ts'
import { onService, type Service } from './service.ts'

export interface Json {
  readonly json?: true
}

/** What the commands that list items accept, besides a filter. */
export interface Listing extends Json {
  readonly limit?: number
}

/** What the commands for one resource's items have in common. */
export const itemCommands = (name: string) => {
  /** A command that uses the API. */
  const named = (verb: string, description: string, example: string) =>
    onService(new Command(verb).description(description)).addHelpText(
      'after',
      `\nExample:\n  rollcall ${name} ${verb} ${example}`,
    )
  /** One that also shows what it found or created. */
  const showing = (verb: string, description: string, example: string) =>
    named(verb, description, example).option('--json', `show JSON, one ${name} per line`)
  return {
    named,
    showing,
    listing: (description: string, example: string) =>
      showing('list', description, example).addOption(
        new Option('--limit <number>', `show at most this many ${name}s`).argParser(limitOf),
      ),
    pathOf: (id: string) => `/${name}s/${segmentOf(id)}`,
  }
}

/** `firstName` is `--first-name`. */
export const flagOf = (field: string) =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const limitOf = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

interface Slice<T> {
  readonly content: readonly T[]
  readonly links?: readonly { readonly rel: string; readonly href: string }[]
}

const sliceSize = 100

interface Wanted {
  readonly query: Readonly<Record<string, string>>
  /** How many items to read; all if undefined. */
  readonly limit: number | undefined
}

/** The items of a list, in slices. Nothing beyond the slice with the last one wanted is read. */
export async function* each<T>(
  service: Service,
  path: string,
  { query, limit = Number.POSITIVE_INFINITY }: Wanted,
) {
  const size = String(Math.min(limit, sliceSize))
  let next: string | undefined = `?${new URLSearchParams({ ...query, cursor: '', size })}`
  let left = limit
  while (next !== undefined && left > 0) {
    const slice: Slice<T> = await service.ask<Slice<T>>({ method: 'GET', path: path + next })
    yield slice.content.slice(0, left)
    left -= slice.content.length
    const href = slice.links?.find(({ rel }) => rel === 'next')?.href
    next = href === undefined ? undefined : new URL(href, 'http://rollcall').search
  }
}
