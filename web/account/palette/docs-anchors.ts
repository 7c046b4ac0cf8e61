/** The sections of the documentation, by their ids there. */
import type { Key } from '../../state/text-keys.ts'

export const docsAnchors: readonly { id: string; title: Key<'docs'> }[] = [
  { id: 'start', title: 'start.title' },
  { id: 'authentication', title: 'auth.title' },
  { id: 'errors', title: 'errors.title' },
  { id: 'limits', title: 'limits.title' },
  { id: 'retries', title: 'retries.title' },
  { id: 'numbers', title: 'numbers.title' },
  { id: 'reselling-guide', title: 'resellers.title' },
  { id: 'connect', title: 'connect.title' },
  { id: 'formats', title: 'formats.title' },
  { id: 'targeting', title: 'targeting.title' },
  { id: 'sessions', title: 'sessions.title' },
  { id: 'gateway-answers', title: 'answers.title' },
]
