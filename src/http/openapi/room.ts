import type { Explanations } from './explanation.ts'

/** What a room tells people of itself, beside what the table of routes says. */
export interface RoomDocument {
  /** The heading that its operations are grouped under. */
  readonly tag: string
  readonly description: string
  /** By element and field, such as `todo.todoTitle`. */
  readonly fields: Readonly<Record<string, string>>
  /** By method and path, such as `POST /todos`. */
  readonly operations: Readonly<Record<string, OperationDocument>>
  /** What its own codes mean. */
  readonly errors?: Explanations
}

export interface OperationDocument {
  /** Names it in generated clients. */
  readonly id: string
  readonly description: string
  /** A body that may be sent. */
  readonly request?: object
  /** The body of the answer to it. */
  readonly answer?: object
}
