import { readFileSync } from 'node:fs'
import { isSea } from 'node:sea'

/** The program of a thread. Threads cannot open files inside the single executable, so there they get the text of the program. */
export const threadProgram = (file: URL): URL =>
  isSea() ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(file, 'utf8'))}`) : file
