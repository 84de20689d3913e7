import { bodyInvalid, Problem } from '#core/problem.ts'
import type { AnyText, Code } from '#core/words.ts'
import type { Declared, RecordOf } from './declaration.ts'

/** Rules run within the transaction of a change. Each returns the record to store, or throws a `refusal`. They may run again. */
export interface Rules<R> {
  create?(record: R, context: RuleContext): R | Promise<R>
  update?(record: R, before: R, context: RuleContext): R | Promise<R>
  delete?(record: R, context: RuleContext): void | Promise<void>
}

export interface Action<R> {
  /** One line for the documentation. */
  readonly summary: string
  /** Returns the record to store. It runs within the transaction, and may run again. */
  does(record: R, context: RuleContext): R | Promise<R>
}

export interface RuleContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly caller: {
    readonly kind: string
    readonly name: string
    readonly id?: string | undefined
    /** Whether the caller may do everything that a scope permits, such as `loans:update`. */
    may(scope: string): boolean
  }
  /** The action, such as `returned`, because rules for updates also run for actions. Undefined for other changes. */
  readonly action?: string | undefined
  /** A record, as this transaction sees it: `find(copy, loan.copyId)`, or by the name of any resource. */
  find<D extends Declared>(resource: D, id: string): Promise<RecordOf<D> | undefined>
  find(resource: string, id: string): Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * Counts the records with these values: `count('loan', { memberId, returnedOn: null })`. It sees the changed record as it was
   * before, and not yet a new one. Changes that count the same resource wait for each other, so each sees the ones before it.
   */
  count<D extends Declared>(resource: D, where: Partial<RecordOf<D>>): Promise<number>
  count(resource: string, where: Readonly<Record<string, string | number | boolean | null>>): Promise<number>
}

/**
 * Refuses a change. With a `target` it is 400 7001 with a detail for that field; without one, 409 with this code.
 * The message is shown as it is, or in the language of the caller: `{ en: 'Too many.', ja: '多すぎます。' }`.
 */
export const refusal = ({ target, code, message }: { target?: string; code: Code; message: AnyText }) =>
  target === undefined
    ? new Problem('business', { messages: [{ code, text: message }] })
    : bodyInvalid([{ code, target, text: message }])
