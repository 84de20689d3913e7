/** Not imported, because an import looks at every name of the module, and one of them loads all that `fetch` is made of. */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
