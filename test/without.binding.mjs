/**
 * Loaded before a program (`NODE_OPTIONS=--import …`): hides `process.binding`, as a later Node.js may remove
 * it. The gateway then runs over ordinary sockets, in its parent process and in its workers.
 */
Object.assign(process, { binding: undefined })
