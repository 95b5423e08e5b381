"""A client of the messages written with python-socketio, which this project has nothing to do with.

Obeys commands, one JSON object a line on standard input, and tells what happens, one JSON object a line on standard
output. Run by python-client.spec.ts.
"""

import json
import sys
import threading
import urllib.request

import socketio

BASE = sys.argv[1]
SIGN_IN = '/apis/v2/userctx/user/account/sign-in'

output = threading.Lock()


def tell(what, **more):
    with output:
        print(json.dumps({'what': what, **more}), flush=True)


def sign_in(credentials):
    request = urllib.request.Request(
        BASE + SIGN_IN, json.dumps(credentials).encode(), {'Content-Type': 'application/json'}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)['accessToken']


class Session:
    def __init__(self, token):
        self.token = token
        self.last = None
        self.epoch = None
        self.socket = None

    def connect(self, last=None, epoch=None):
        """`last` and `epoch` as they were kept; otherwise what this process has counted."""
        self.last = self.last if last is None else last
        self.epoch = self.epoch if epoch is None else epoch
        auth = {'token': self.token}
        if self.last is not None:
            auth.update(last=self.last, epoch=self.epoch)
        self.socket = socketio.Client(reconnection=False)
        self.socket.on('hello', self.on_hello)
        self.socket.on('messages', self.on_messages)
        self.socket.on('connect_error', lambda data: tell('refused', data=data))
        self.socket.on('disconnect', lambda: tell('disconnected'))
        self.socket.connect(BASE, auth=auth, transports=['websocket'], wait_timeout=10)

    def on_hello(self, hello):
        self.epoch = hello['epoch']
        tell('hello', hello=hello)

    def on_messages(self, frame):
        if 'after' in frame:
            if self.last is not None and frame['after'] != self.last:
                tell('gap', expected=self.last, got=frame['after'])
            self.last = frame['through']
        tell('messages', frame=frame)

    def send(self, event, payload):
        tell('answer', answer=self.socket.call(event, payload, timeout=10))

    def disconnect(self):
        self.socket.disconnect()


def main():
    session = None
    for line in sys.stdin:
        command = json.loads(line)
        do = command.pop('do')
        if do == 'sign in':
            session = Session(sign_in(command))
            tell('signed in')
        else:
            getattr(session, do)(**command)


main()
