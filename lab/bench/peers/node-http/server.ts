import { createServer, type ServerResponse } from 'node:http'

/** The ceiling: every answer is a prepared text, sent in one piece with its header. Nothing is looked up, checked or kept. */
const todo = (n: number) =>
  `{"todoId":"019a9d5e-0000-7000-8000-${String(n).padStart(12, '0')}","todoTitle":"Buy milk","finished":false,"createdAt":"2026-11-21T06:45:00.123+00:00"}`

const one = todo(1)
const hundred = `[${Array.from({ length: 100 }, (_, n) => todo(n)).join(',')}]`
const refusal = '{"code":"e.xx.fw.5001","message":"Resource not found."}'
const items = '/api/v1/todos/'
const unknown = `${items}00000000-0000-7000-8000-000000000000`
const maxRefusedLength = 16

const answer = (response: ServerResponse, status: number, body: string) => {
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
  response.end(body, 'latin1')
}

const server = createServer((request, response) => {
  const { method, url = '', headers } = request
  if (method === 'POST') {
    request.on('data', () => {})
    request.on('end', () =>
      Number(headers['content-length']) <= maxRefusedLength
        ? answer(response, 400, refusal)
        : answer(response, 201, one),
    )
  } else if (headers['if-none-match'] !== undefined) response.writeHead(304).end()
  else if (url === unknown) answer(response, 404, refusal)
  else answer(response, 200, url.startsWith(items) ? one : hundred)
})

server.listen(Number(process.env.PORT), '127.0.0.1')
