/** Leases are counted in binary units; traffic is sold in the decimal gigabytes of the contract. */

export const kib = 1024n
