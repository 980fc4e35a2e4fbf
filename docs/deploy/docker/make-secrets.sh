#!/bin/sh
# Makes what compose.yaml mounts as secrets, in the folder `secrets` beside this file. Run it once, as root, as Docker hands
# files to containers with the owners and modes that they have here.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir secrets # fails where it is there: nothing is replaced
cd secrets
queue=$(openssl rand -hex 24) warehouse=$(openssl rand -hex 24) broker=$(openssl rand -hex 24)

# The daemon and the worker processes: user and group 10001 of the image.
printf 'QUEUE_PASSWORD: "%s"\nWAREHOUSE_PASSWORD: "%s"\nBROKER_PASSWORD: "%s"\n' "$queue" "$warehouse" "$broker" >secrets.yaml
printf 'QUEUE_PASSWORD: "%s"\n' "$queue" >worker-secrets.yaml
openssl rand 32 >cluster.key
openssl req -x509 -newkey rsa:2048 -noenc -days 825 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout tls-key.pem -out tls-cert.pem 2>openssl.log
rm openssl.log
chown 0:10001 secrets.yaml worker-secrets.yaml cluster.key tls-key.pem tls-cert.pem
chmod 0440 secrets.yaml worker-secrets.yaml cluster.key tls-key.pem tls-cert.pem

# Their servers, whose users the images choose. The folder keeps everybody on this machine out.
printf 'requirepass %s\nappendonly yes\nmaxmemory-policy noeviction\n' "$queue" >redis.conf
printf '%s' "$warehouse" >postgres-password
printf 'default_user = heronry\ndefault_pass = %s\n' "$broker" >rabbitmq.conf
chmod 0444 redis.conf postgres-password rabbitmq.conf
