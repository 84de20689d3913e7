// PocketBase writes through one connection, with `synchronous = NORMAL`: a commit would not be synced.
onBootstrap((event) => {
  event.next()
  event.app.nonconcurrentDB().newQuery('PRAGMA synchronous = FULL').execute()
})
