import type { Answer, Done } from './answer.ts'
import type { Change, Link, Order } from './messages.ts'
import type { CallOptions } from './options.ts'

/** The types of a resource, by their use in calls. */
export interface Kind {
  /** The name of the field that identifies an item. */
  readonly id: string
  readonly item: object
  /** The item in the answer to a change, which may show more than the caller may read otherwise. */
  readonly changed: object
  readonly created: object
  readonly updated: object
  readonly filter: object
  /** The names of the fields that a list is sorted by. */
  readonly sort: string
}

/** An id, or an item that was read. A change to an item that was read applies only to the version that was read. */
export type Known<Item> = string | Pick<Done<Item>, 'value' | 'etag'>

/** An item of which at least the id is known. */
export type KnownOf<K extends Kind> = Known<{ readonly [Id in K['id']]: string }>

/** A property, or `property,desc`. */
export type SortBy<Property extends string> = Property | `${Property},asc` | `${Property},desc`

export interface Paging<Property extends string = string> {
  readonly size?: number | undefined
  /** For example `['lastName', 'createdAt,desc']`. */
  readonly sort?: SortBy<Property> | readonly SortBy<Property>[] | undefined
}

export type PageQuery<Property extends string = string> = Paging<Property> & {
  readonly page?: number | undefined
}

/** The start of `each` and `pages`: at `cursor`, which is the `next` of a page with the same filter and sort, or at the beginning. */
export type WalkQuery<Property extends string = string> = Paging<Property> & {
  readonly cursor?: string | undefined
}

/** The names of the fields of an item. */
export type FieldOf<Item> = Item extends unknown ? Exclude<keyof Item & string, 'links'> : never

/** The fields to show, besides the id. The type of the answer has only these. */
export interface Fields<Field extends string> {
  readonly fields?: readonly Field[] | undefined
}

/** An item with these fields and its id, or with all. */
type ShownItem<K extends Kind, Field> = [Field] extends [never]
  ? K['item']
  : PickFrom<K['item'], Field | K['id']>

type PickFrom<Item, Field> = Item extends unknown ? Pick<Item, Field & keyof Item> : never

/** A page selected by its number. */
export interface PageOf<Item> {
  readonly content: readonly Item[]
  /** The number of items on all pages. */
  readonly totalElements: number
  readonly totalPages: number
  /** The maximum number of items per page, after any reduction to the limit of the service. */
  readonly size: number
  /** The number of this page, starting at 0. */
  readonly number: number
  /** The number of items on this page. */
  readonly numberOfElements: number
  readonly first: boolean
  readonly last: boolean
  readonly sort: readonly Order[]
  /** Links to other pages, where they exist. */
  readonly links: readonly Link[]
}

/** A page that `pages` yields. */
export interface Stretch<Item> {
  readonly content: readonly Item[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

/** A change of an item, and the item after it: null if the change deleted it, or if its values are not kept. */
export interface Version<Item> {
  readonly change: Change
  readonly value: Item | null
  /** Values that the change altered and the item does not show, such as the role of a member. */
  readonly altered?: readonly { readonly field: string; readonly from: string; readonly to: string }[]
}

export interface ListOptions<List> extends CallOptions {
  /** The answer to an earlier read: the service sends the list again only if it has changed since. */
  readonly known?: Pick<Done<List>, 'value' | 'etag'> | undefined
}

/** A property that exists only in types, so that `follow` finds the type of the items. */
declare const kind: unique symbol

/** The kind of these records. */
export type KindOf<R> = R extends { readonly [kind]?: infer K extends Kind } ? K : never

/** The calls of every list. */
export interface Listed<K extends Kind> {
  readonly [kind]?: K

  /** Returns all items in one answer, in order of creation. */
  list<F extends FieldOf<K['item']> = never>(
    filter?: K['filter'] & Fields<F>,
    options?: ListOptions<readonly ShownItem<K, F>[]>,
  ): Promise<Answer<readonly ShownItem<K, F>[]>>

  /** Returns the page with this number (from 0), and the number of all items. */
  page<F extends FieldOf<K['item']> = never>(
    query?: K['filter'] & PageQuery<K['sort']> & Fields<F>,
    options?: ListOptions<PageOf<ShownItem<K, F>>>,
  ): Promise<Answer<PageOf<ShownItem<K, F>>>>

  /** Yields all items one by one, and reads further pages as you iterate. Throws a RollcallError on failure. */
  each<F extends FieldOf<K['item']> = never>(
    query?: K['filter'] & WalkQuery<K['sort']> & Fields<F>,
    options?: CallOptions,
  ): AsyncGenerator<ShownItem<K, F>>

  /** Like `each`, but yields whole pages. To continue later after a page, pass its `next` as `cursor`. */
  pages<F extends FieldOf<K['item']> = never>(
    query?: K['filter'] & WalkQuery<K['sort']> & Fields<F>,
    options?: CallOptions,
  ): AsyncGenerator<Stretch<ShownItem<K, F>>>

  /** Returns one item. An item that was read before is sent again only if it has changed. */
  get<F extends FieldOf<K['item']> = never>(
    idOrItem: Known<ShownItem<K, F>>,
    options?: CallOptions & Fields<F>,
  ): Promise<Answer<ShownItem<K, F>>>

  /** Deletes the item. */
  remove(idOrItem: KnownOf<K>, options?: CallOptions): Promise<Answer<undefined>>
}

/** The calls of records whose history is kept. */
export interface Recorded<K extends Kind> extends Listed<K> {
  /** Creates an item. A retry never creates a second one. */
  create(item: K['created'], options?: CallOptions): Promise<Answer<K['changed']>>

  /** Changes the given fields of the item; null clears a field. */
  patch(
    idOrItem: KnownOf<K>,
    change: Partial<K['updated']>,
    options?: CallOptions,
  ): Promise<Answer<K['changed']>>

  /** Yields the changes of an item, newest first, each with the item after it. Also for a deleted item. Throws a RollcallError on failure. */
  history(idOrItem: KnownOf<K>, options?: CallOptions): AsyncGenerator<Version<K['changed']>>

  /** Creates a deleted item again from its history, with the same id. */
  restore(idOrItem: KnownOf<K>, options?: CallOptions): Promise<Answer<K['changed']>>
}

/** The calls of a resource. */
export interface Records<K extends Kind> extends Recorded<K> {
  /** Replaces all fields of the item. You may send an item that you read and modified: fields that the service assigns are ignored. */
  update(idOrItem: KnownOf<K>, item: K['updated'], options?: CallOptions): Promise<Answer<K['changed']>>
}
