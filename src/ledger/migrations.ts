/** The folder of the ledger's migrations. */
export const ledgerMigrations = new URL('./migrations/', import.meta.url)
