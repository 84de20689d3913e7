/** The identity of a caller. The name is unique and no secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client' | 'key' | 'invited'
  readonly name: string
  /** The id of the caller's own record, if it has one. */
  readonly id?: string
  /** A digest of password and role, if the caller signed in with a password. Only such a caller gets a token, which is bound to it. */
  readonly stamp?: string
  /** When the caller's token or key ends. */
  readonly until?: number
  /** The scopes of the caller's token or key. */
  readonly scopes?: ReadonlySet<string>
  /**
   * Reads the principal again within the current transaction. Resolves to undefined if it has lost its access. Absent if its access
   * is not stored in the database.
   */
  readonly reread?: () => Promise<Principal | undefined>
}
