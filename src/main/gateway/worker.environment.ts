/** The environment of gateway workers. They are exposed to clients, so it contains no key of the shop. */

/**
 * Variables of Node.js, OpenSSL and the C library. All others are settings, or may be secrets of other
 * programs.
 */
const kept = /^(PATH|HOME|LANG|TZ|TMPDIR|LC_[A-Z]+|NODE_[A-Z_]+|UV_[A-Z_]+|SSL_CERT_(FILE|DIR))$/

/** The variables that may be passed on. A worker receives its settings in a message. */
export function workerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => kept.test(name)))
}
