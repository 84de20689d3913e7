import type { Answer } from '#http/wire/answer.ts'

/** The refusal of a person outside the API: what this is and where to go on. */
export const welcome = (managementPort: number | 'off'): Answer => ({
  status: 403,
  headers: ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-cache', 'Vary', 'Accept'],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Rollcall</title>
<h1>Rollcall</h1>
<p>This is the API of a member registry and todo service. It lies below <code>/api/v1</code>, and describes itself in
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
<p>${managementPort === 'off' ? 'The console and the documentation are switched off here.' : `The console and the documentation are on the management listener, port ${managementPort}, which is usually open to its own machine alone.`}</p>
</html>
`,
})
