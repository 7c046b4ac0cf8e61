/**
 * Versions of the frames. Each end says in its first frame which versions it speaks, and both use the newest that they share.
 * An end that says nothing speaks version 1, whose releases ignore that frame. The handshake before it never changes.
 *
 * The rule for a change: a release understands every frame of the release before it, and is understood by it. New fields and new
 * kinds of frames need no new version where an older end may ignore them; a new version says that a frame is answered.
 *
 * | version | adds |
 * |---|---|
 * | 1 | calls, answers, events |
 * | 2 | hello, ping and pong, state, and `away` in a fault |
 */

export interface FeedVersions {
  newest: number
  oldest: number
}

export const ourVersions: Readonly<FeedVersions> = { newest: 2, oldest: 1 }
/** From this version on pings are answered and the server tells its state. */
export const VERSION_WITH_STATE = 2

/** The newest version that both ends speak; null: there is none. */
export function sharedVersion(ours: FeedVersions, theirs: FeedVersions): number | null {
  const newest = Math.min(ours.newest, theirs.newest)
  return newest >= Math.max(ours.oldest, theirs.oldest) ? newest : null
}

/** Why two ends cannot work together, for the operator. */
export const versionsDiffer = (ours: FeedVersions, theirs: FeedVersions) =>
  `the other end of the feed speaks versions ${theirs.oldest} to ${theirs.newest} of it, this end ${ours.oldest} to ${ours.newest}: upgrade the older one`
