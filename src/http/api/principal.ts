/** The caller. The name identifies the principal; it is not secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client' | 'key' | 'invited'
  readonly name: string
  /** The id of the caller's own record, if it has one. */
  readonly id?: string
  /**
   * A digest of the caller's password and role, if it signed in with a password. A token is bound to it, and nobody gets one
   * without it.
   */
  readonly stamp?: string
  /** When the caller's token or key ends. */
  readonly until?: number
  /** The scopes of the caller's token or key. */
  readonly scopes?: ReadonlySet<string>
  /**
   * Reads the principal again, from the calling unit's state of the database. Undefined if it has lost its access. Absent if the
   * database does not decide this.
   */
  readonly reread?: () => Promise<Principal | undefined>
}
