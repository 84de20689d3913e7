import { existsSync, writeFileSync } from 'node:fs'
import jsonServer from 'json-server'

const file = process.env.DATABASE ?? 'db.json'
if (!existsSync(file)) writeFileSync(file, '{"todos":[]}')

const router = jsonServer.router(file)
router.db._.id = 'todoId'

const server = jsonServer.create()
server.use(jsonServer.defaults({ logger: false }))
server.use(jsonServer.bodyParser)
server.use((request, _response, next) => {
  if (request.method === 'POST')
    Object.assign(request.body, { finished: false, createdAt: new Date().toISOString() })
  if (request.method === 'PUT') {
    request.method = 'PATCH'
    request.body = { finished: true }
  }
  next()
})
server.use(jsonServer.rewriter({ '/api/v1/*': '/$1' }))
server.use(router)
server.listen(Number(process.env.PORT), '127.0.0.1')
