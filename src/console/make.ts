import { bundle } from './bundle.ts'

// This is a separate program, because building the console must not delay the service.
const startedAtMs = performance.now()
await bundle()
process.stdout.write(`Built the console in ${Math.round(performance.now() - startedAtMs)} ms.\n`)
