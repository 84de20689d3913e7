// PocketBase writes through one connection, with `synchronous = NORMAL`: a commit would not be synced. It closes that
// connection after three idle minutes and opens another, so this one is kept.
onBootstrap((event) => {
  event.next()
  const writes = event.app.nonconcurrentDB()
  writes.db().setConnMaxIdleTime(0)
  writes.newQuery('PRAGMA synchronous = FULL').execute()
})
