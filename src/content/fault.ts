/** What the operator gave cannot be said to the public; the message is a sentence for the operator. */
export class ContentFault extends Error {}
