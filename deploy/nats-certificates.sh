#!/usr/bin/env bash
# Certificates of the brokers: deploy/nats-certificates.sh FOLDER NAME…
# Creates a private certificate authority (ca.crt; keep its key, ca.key, off every server) and one certificate for the
# servers of these names (tls.crt, tls.key), for clients and for each other. An existing authority is reused.
set -euo pipefail
folder=${1:?the folder that they go to}
shift
[ $# -gt 0 ] || { echo "Give the names by which clients and the other servers reach the brokers." >&2; exit 2; }
umask 077
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"
names=$(printf ',DNS:%s' "$@")
key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
[ -f ca.key ] || openssl req -x509 "${key[@]}" -days 3650 -subj "/CN=Bridge brokers" -keyout ca.key -out ca.crt
openssl req "${key[@]}" -subj "/CN=$1" -keyout tls.key -out tls.csr
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -out tls.crt \
  -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "${names#,}")
rm tls.csr
# Clients in containers run as other users than the folder's owner, and read the authority's certificate; keys are the owner's alone
# (nats-server's container runs as root, Kubernetes mounts a Secret).
chmod 644 ca.crt tls.crt
chmod 600 ca.key tls.key
