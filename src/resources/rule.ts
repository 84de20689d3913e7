import type { Code, LocalizedText } from '#core/error-table.ts'
import { bodyInvalid, Problem } from '#core/problem.ts'
import type { Declared, RecordOf } from './declaration.ts'

/** Rules run within the transaction of a change, and again if it is retried. They return the record to store, or throw a `refusal`. */
export interface Rules<R> {
  create?(record: R, context: RuleContext): R | Promise<R>
  update?(record: R, before: R, context: RuleContext): R | Promise<R>
  delete?(record: R, context: RuleContext): void | Promise<void>
}

export interface Action<R> {
  /** One line for the documentation. */
  readonly summary: string
  /** Returns the record to store. Runs within the transaction of the change, and again if it is retried. */
  does(record: R, context: RuleContext): R | Promise<R>
}

export interface RuleContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly caller: {
    readonly kind: string
    readonly name: string
    readonly id?: string | undefined
    /** True if the caller has the rights of a scope, such as `loans:update`. */
    may(scope: string): boolean
  }
  /** The name of the action, such as `returned`: rules for updates also run for actions. Undefined for other changes. */
  readonly action?: string | undefined
  /** Reads a record in the current transaction: `find(copy, loan.copyId)` or `find('copy', loan.copyId)`. */
  find<D extends Declared>(resource: D, id: string): Promise<RecordOf<D> | undefined>
  find(resource: string, id: string): Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * Counts the records with these values: `count('loan', { memberId, returnedOn: null })`. An updated record counts with its old
   * values, a new one not at all. Changes that count the same resource run one after another, so the count includes all earlier
   * changes.
   */
  count<D extends Declared>(resource: D, where: Partial<RecordOf<D>>): Promise<number>
  count(resource: string, where: Readonly<Record<string, string | number | boolean | null>>): Promise<number>
}

/**
 * Makes the refusal of a change, to be thrown. With a `target` the answer is 400 with the code 7001 and a detail for that field;
 * without a `target`, it is 409 with this code. The message is one text, or one for each language:
 * `{ en: 'Too many.', ja: '多すぎます。' }`.
 */
export const refusal = ({
  target,
  code,
  message,
}: {
  target?: string
  code: Code
  message: LocalizedText
}) =>
  target === undefined
    ? new Problem('business', { messages: [{ code, text: message }] })
    : bodyInvalid([{ code, target, text: message }])
