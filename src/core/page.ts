/** The upper limit of the setting PAGE_SIZE_MAX. */
export const maxPageSize = 2000

export interface Order {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

export interface PageRequest {
  readonly number: number
  readonly size: number
  readonly sort: readonly Order[]
}

export interface Page<T> {
  readonly content: readonly T[]
  readonly totalElements: number
  readonly request: PageRequest
}

/** A request for the rows after the previous slice. `after` holds the sort values and the position of the last row of that slice. */
export interface SliceRequest {
  readonly after: readonly Sortable[] | undefined
  readonly size: number
  readonly sort: readonly Order[]
}

export interface Slice<T> {
  readonly content: readonly T[]
  /** The `after` of the next request. Undefined at the end of the list. */
  readonly next: readonly Sortable[] | undefined
}

export type Sortable = string | number | boolean | null
