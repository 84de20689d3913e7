import { readFileSync } from 'node:fs'
import { isSea } from 'node:sea'

/** The program of a thread. In the single executable, threads cannot open the files within it, so they get the text of the program. */
export const threadProgram = (file: URL): URL =>
  isSea() ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(file, 'utf8'))}`) : file
