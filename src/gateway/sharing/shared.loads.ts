/**
 * The coordinator's part of sharing connections (`load.sharing.ts`): passes on each worker's reports of its
 * load, and the connections that one worker hands to another.
 */

import type { LoadMessage, LoadNotice, PassedConnection } from './messages.ts'

type Send = (notice: LoadNotice, connection?: PassedConnection) => void

/** A connection that was sent to a worker, which has not answered. */
interface Passed {
  from: Member
  id: number
  connection: PassedConnection
}

interface Member {
  worker: number
  send: Send
  load: number | null
  accepts: boolean
  /** Connections on their way to this worker, by their sender and the sender's id of them. */
  passed: Map<string, Passed>
}

export class SharedLoads {
  readonly #members = new Map<number, Member>()
  #joined = 0

  /** Adds a worker, and sends it the loads of the others. */
  join(send: Send): {
    receive: (message: LoadMessage, connection?: PassedConnection) => void
    leave: () => void
  } {
    const member: Member = { worker: ++this.#joined, send, load: null, accepts: false, passed: new Map() }
    for (const { worker, load, accepts } of this.#members.values())
      send({ kind: 'load_of', worker, load, accepts })
    this.#members.set(member.worker, member)
    return {
      receive: (message, connection) => this.#receive(member, message, connection),
      leave: () => this.#left(member),
    }
  }

  #receive(member: Member, message: LoadMessage, connection?: PassedConnection): void {
    if (message.kind === 'load') {
      member.accepts = message.accepts
      this.#note(member, message.load)
    } else if (message.kind === 'connection_answered') this.#answered(member, message)
    else if (connection === undefined) {
      // The descriptor was lost because this process has reached its limit of open files. The sender still
      // has its own.
      member.send({ kind: 'connection_answered', id: message.id, isTaken: false })
    } else this.#pass(member, message, connection)
  }

  #note(member: Member, load: number | null): void {
    member.load = load
    const { worker, accepts } = member
    for (const other of this.#members.values())
      if (other !== member) other.send({ kind: 'load_of', worker, load, accepts })
  }

  #pass(
    from: Member,
    { id, to, on, load }: Extract<LoadMessage, { kind: 'connection' }>,
    connection: PassedConnection,
  ): void {
    const receiver = this.#members.get(to)
    if (receiver === undefined || receiver.load === null) {
      connection.close()
      from.send({ kind: 'connection_answered', id, isTaken: false })
      return
    }
    this.#note(from, load)
    receiver.passed.set(`${from.worker} ${id}`, { from, id, connection })
    receiver.send({ kind: 'connection_passed', id, from: from.worker, on }, connection)
  }

  #answered(
    member: Member,
    { id, from, isTaken, load }: Extract<LoadMessage, { kind: 'connection_answered' }>,
  ): void {
    const key = `${from} ${id}`
    const passed = member.passed.get(key)
    if (passed === undefined) return
    member.passed.delete(key)
    passed.connection.close()
    passed.from.send({ kind: 'connection_answered', id, isTaken })
    // Reported even when it has not changed: the sender has added the connection to its own estimate.
    this.#note(member, load)
  }

  /** A worker has ended: connections that it has not taken return to their senders. */
  #left(member: Member): void {
    this.#members.delete(member.worker)
    this.#note(member, null)
    for (const { from, id, connection } of member.passed.values()) {
      connection.close()
      from.send({ kind: 'connection_answered', id, isTaken: false })
    }
    member.passed.clear()
  }
}
